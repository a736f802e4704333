import logging
logging.warning("to the root: %s", 5)
logging.info("not shown")
# --- cell
log = logging.getLogger("app.db")
log.setLevel(logging.DEBUG)
handler = logging.StreamHandler()
handler.setFormatter(logging.Formatter("%(levelname)s %(name)s %(funcName)s:%(lineno)d %(message)s"))
log.addHandler(handler); log.propagate = False
def work(): log.debug("working")
work()
# --- cell
try:
    1 / 0
except ZeroDivisionError:
    log.exception("failed")
# --- cell
log.error("bad arguments %d", "x") if False else log.critical("%(a)s", {"a": 1})
log.getEffectiveLevel(), logging.getLevelName(30), log.isEnabledFor(5), log
