# mechanism: import of a module again and again
# kind: endless
# ends: soft

import importlib, json
while True: importlib.reload(json)
