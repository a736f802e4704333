# mechanism: read beyond the end
# kind: memory
# ends: error

import io
b = io.BytesIO()
b.seek(1 << 30)
b.write(b'x')
