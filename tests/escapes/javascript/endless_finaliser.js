// mechanism: finaliser
// kind: endless
// ends: soft value

const r = new FinalizationRegistry(() => { for (;;) {} }); for (let i = 0; i < 9; i++) r.register({}, 1); await null
