async function right(): Promise<void> {
  const user = await tools.fetch_user({ user_id: 7 });
  const name: string = (await fetch_user({ user_id: 7, fields: ["id"] })).name;
  const above: string | undefined = user.boss?.name;
  let number: number = await tools.notes.add({ user, text: "text", pin: true });
  number = await notes.add({ user: { id: 1 }, text: name });
  for (const note of await tools.notes.list_all({ color: "blue", mode: "full" })) note.x;
  await tools.notes.list_all();
  let old: string | null = await tools.notes.old.get({ self: 1 });
  const node = await tools.grow({ tree: { value: 1, children: [{ value: 2 }] }, options: { depth: 1, color: "red" } });
  const depth: number = node.children[0].value;
  const result = await tools.rich({
    data: new Uint8Array(1), when: new Date(), day: "2024-01-02", clock: "01:02", long: "PT1S", price: "1.5",
    key: "00000000-0000-0000-0000-000000000001", part: "1/2", wave: "1j", numbers: new Set([1]), words: ["a"], pair: [1, "a"], many: [1, 2],
    by_number: new Map([[1, "a"]]), by_name: { a: [{ x: 1 }] },
  });
  const data: Uint8Array = result[0];
  const when: Date = result[1];
  const days: number = result[4][0];
  const words: Set<string> = result[10];
  const a: string | undefined = result[12].get(1);
  const y: number = result[13].a[0].y;
  await tools.loose({ anything: 1, other: 2 });
  const code: number | undefined = (await tools.failing())?.code;
  const path: string = await tools.open({ path: "x" });
  const issue = await tools.create_issue({ title: "t", labels: ["bug", null], "user-id": 3, from: "a" });
  const url: string = issue.url;
  await tools.create_issue({ title: "t", meta: { "x-y": null, deep: { kids: [{}] } }, both: { b: true } });
  const value: number = await tools["class"]({ value: 1 });
  await tools["3d/count"]({ n: 1 });
  [above, number, old, depth, data, when, days, words, a, y, code, path, url, value];
}
