try { early } catch (e) { console.log(e.name) }
let early = 1;
early
// --- cell
try { new Later() } catch (e) { console.log(e.name) }
class Later {}
// --- cell
(function () { try { return inner } catch (e) { return e.name } let inner })()
// --- cell
typeof neverDeclared
// --- cell
try { typeof tdz; let tdz } catch (e) { e.name }
