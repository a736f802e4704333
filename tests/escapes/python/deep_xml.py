# mechanism: XML
# kind: deep
# ends: error

import xml.etree.ElementTree as E
def depth(e): return 1 + depth(e[0])
depth(E.fromstring('<a>' * 5000 + '</a>' * 5000))
