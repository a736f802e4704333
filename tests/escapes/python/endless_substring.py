# mechanism: substring
# kind: endless
# ends: soft hard

('a' * 10**6).find('a' * (5 * 10**5) + 'b' + 'a' * (4 * 10**5))
while True: ('a' * 10**6).count('a' * 1000 + 'b')
