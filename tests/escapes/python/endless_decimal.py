# mechanism: decimal
# kind: endless
# ends: soft hard

import decimal
decimal.getcontext().prec = 10 ** 6
(decimal.Decimal(2) ** decimal.Decimal('0.5')).exp()
