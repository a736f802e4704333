# mechanism: text
# kind: deep
# ends: error

class A:
  def __str__(self): return f'{self}'
str(A())
