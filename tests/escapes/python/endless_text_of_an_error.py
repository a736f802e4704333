# mechanism: text of an error
# kind: endless
# ends: soft

class E(Exception):
  def __str__(self):
    while True: pass
raise E
