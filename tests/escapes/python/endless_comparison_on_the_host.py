# mechanism: keys of one hash on the host
# kind: endless
# ends: value

# Not of one hash here, where it is of 31 bits; comparing a long integer with a Decimal takes seconds.
from decimal import Decimal

long = 1 << 1_048_000
prime = (1 << 61) - 1
many = [{Decimal(long % prime + k * prime) for k in range(30)} | {long} for _ in range(8)]
many
