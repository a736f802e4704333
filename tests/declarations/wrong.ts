async function wrong(): Promise<void> {
  await tools.fetch_user({ user_id: "7" }); // wrong
  await tools.fetch_user(); // wrong
  await fetch_user({ user_id: 7, field: [] }); // wrong
  tools.fetch_user({ user_id: 7 }).name; // wrong
  (await tools.fetch_user({ user_id: 7 })).nam; // wrong
  await tools.notes.add({ user: { id: "1" }, text: "text" }); // wrong
  await tools.notes.add({ user: {}, text: "text" }); // wrong
  await tools.notes.list_all({ color: "green" }); // wrong
  await tools.notes.list_all({ mode: "tiny" }); // wrong
  await tools.notes.old.get({ number: 1 }); // wrong
  await tools.grow({ tree: { value: 1, children: [{ valu: 2 }] }, options: { depth: 1 } }); // wrong
  (await tools.big()).toUpperCase(); // wrong
  await tools.open({ path: 1 }); // wrong
  await tools.create_issue({ title: "t", labels: ["feature"] }); // wrong
  await tools.create_issue({ title: "t", meta: {} }); // wrong
  (await tools.create_issue({ title: "t" })).urls; // wrong
  await tools["class"]({ value: "1" }); // wrong
  await tools["3d/count"]({ m: 1 }); // wrong
  await tools.missing(); // wrong
  await tools.notes.missing(); // wrong
}
