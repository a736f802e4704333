import xml.etree.ElementTree as ET
root = ET.fromstring("<r a='1'><item n='x'>text &amp; more</item><item/>tail</r>")
[(e.tag, e.attrib, e.text, e.tail) for e in root.iter()], root.find("item[@n]").get("n"), ET.tostring(root, encoding="unicode")
# --- cell
ET.indent(root); print(ET.tostring(root).decode())
# --- cell
ET.fromstring("<a><b></a>")
# --- cell
from html.parser import HTMLParser
import html
class P(HTMLParser):
    def handle_starttag(self, tag, attrs): print("start", tag, attrs)
    def handle_data(self, d): print("data", repr(d))
P().feed("<p class=x>hi &lt;<br/></p>")
html.escape("<a href='x'>&"), html.unescape("&eacute;&#128512;&nbsp;")
# --- cell
from xml.dom.minidom import parseString
parseString("<a><b c='d'/></a>").documentElement.firstChild.getAttribute("c")
