// mechanism: labels
// kind: endless
// ends: soft

a: for (;;) { b: for (;;) { continue a } }
