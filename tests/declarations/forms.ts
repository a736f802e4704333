async function forms(): Promise<void> {
  const name: string = (await tools.fetch_user(7, ["id"])).name;
  const number: number = await notes.add({ id: 1 }, "text", true);
  await tools.notes.list_all("blue", "full");
  await tools.big(2n ** 100n);
  await tools.big({ number: 2n ** 100n });
  await tools.open("x");
  const exact: number = await tools["notes.add"]({ user: { id: 1 }, text: "text" });
  const url: string = (await tools["create-issue"]({ title: "t" })).url;
  await tools["class"](1);
  await tools["3d/count"](1);
  [name, number, exact, url];
  await tools.fetch_user("7"); // wrong
  await tools.notes.add({ id: 1 }); // wrong
  await tools.notes.list_all("green"); // wrong
  await tools["notes.add"]({ text: "text" }); // wrong
  await tools["create-issue"]({}); // wrong
}
