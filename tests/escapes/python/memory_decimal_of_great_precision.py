# mechanism: decimal of great precision
# kind: memory
# ends: error

import decimal
decimal.getcontext().prec = decimal.MAX_PREC
decimal.Decimal(1) / 3
