import heapq
from collections import deque, defaultdict
graph = {"a": {"b": 4, "c": 1}, "b": {"d": 1}, "c": {"b": 2, "d": 5}, "d": {}}
def dijkstra(start):
    dist, heap = {start: 0}, [(0, start)]
    while heap:
        d, u = heapq.heappop(heap)
        for v, w in graph[u].items():
            if d + w < dist.get(v, 1e9):
                dist[v] = d + w
                heapq.heappush(heap, (d + w, v))
    return dist
dijkstra("a")
# --- cell
from graphlib import TopologicalSorter, CycleError
list(TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"b"}}).static_order())
# --- cell
try:
    list(TopologicalSorter({"a": {"b"}, "b": {"a"}}).static_order())
except CycleError as e:
    print(e.args[0])
# --- cell
def bfs(maze, start, goal):
    queue, seen = deque([(start, 0)]), {start}
    while queue:
        (r, c), n = queue.popleft()
        if (r, c) == goal: return n
        for p in ((r+1, c), (r-1, c), (r, c+1), (r, c-1)):
            if 0 <= p[0] < len(maze) and 0 <= p[1] < len(maze[0]) and maze[p[0]][p[1]] == "." and p not in seen:
                seen.add(p); queue.append((p, n + 1))
bfs(["..#", ".#.", "..."], (0, 0), (1, 2))
