import threading, queue
lock = threading.Lock()
with lock:
    print(lock.locked(), lock.acquire(blocking=False))
r = threading.RLock()
with r, r: print("twice")
# --- cell
q = queue.Queue(); q.put(1); q.put(2); q.get(), q.qsize(), q.empty()
# --- cell
q.get(); q.get_nowait()
# --- cell
local = threading.local(); local.x = 1; local.x, threading.current_thread() is threading.main_thread(), threading.active_count(), threading.current_thread().name
# --- cell
e = threading.Event(); e.set(); e.wait(1), threading.Semaphore(2).acquire(), e.is_set()
