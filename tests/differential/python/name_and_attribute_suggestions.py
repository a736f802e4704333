class Config:
    timeout = 1
    retries = 2
Config.timeuot
# --- cell
Config().retrys
# --- cell
pritn("x")
# --- cell
import collections
collections.Countr
# --- cell
def f(colour=None): pass
f(color=1)
# --- cell
"abc".upcase()
# --- cell
[].push(1)
# --- cell
self.x = 1
# --- cell
Flase
