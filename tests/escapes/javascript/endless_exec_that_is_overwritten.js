// mechanism: exec that is overwritten
// kind: endless
// ends: soft

RegExp.prototype.exec = () => { for (;;) {} }; 'a'.match(/a/)
