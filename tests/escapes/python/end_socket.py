# mechanism: socket
# kind: end
# ends: error

import socket
socket.create_connection(('127.0.0.1', 1))
