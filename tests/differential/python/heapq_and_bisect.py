import heapq, bisect
h = [5, 1, 4]; heapq.heapify(h); heapq.heappush(h, 0); [heapq.heappop(h) for _ in range(4)], heapq.nlargest(2, [3, 9, 4], key=lambda x: -x), list(heapq.merge([1, 4], [2, 3]))
# --- cell
s = [1, 3, 3, 7]; bisect.bisect_left(s, 3), bisect.bisect(s, 3), bisect.insort(s, 5), s, bisect.bisect_left(s, -5, key=lambda v: -v)
