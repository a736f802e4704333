from urllib.parse import urlparse, urlencode, quote, unquote, parse_qs, urljoin, urlsplit
u = urlparse("https://user:pw@host.example:8080/a/b;p?q=1&r=a%20b&q=2#frag")
u, u.hostname, u.port, parse_qs(u.query), u._replace(fragment="").geturl()
# --- cell
urlencode({"a": "é b", "c": [1, 2]}, doseq=True), quote("a/b c?"), quote("é", safe=""), unquote("%C3%A9+"), urljoin("http://h/a/b", "../c?x"), urlsplit("//h/p").netloc
# --- cell
urlparse("http://h:99999/").port
# --- cell
from email.message import EmailMessage
from email import message_from_string
from email.utils import parseaddr, formataddr
m = EmailMessage(); m["Subject"] = "Héllo"; m["To"] = "a@example.com"; m.set_content("body\n")
print(m.as_string())
parseaddr("Ann <ann@example.com>"), formataddr(("B", "b@x")), message_from_string("A: 1\n\nx").get_payload()
# --- cell
import ipaddress
ipaddress.ip_network("10.0.0.0/30").num_addresses, [str(h) for h in ipaddress.ip_network("10.0.0.0/30").hosts()], ipaddress.ip_address("::1").is_loopback
# --- cell
ipaddress.ip_address("300.1.1.1")
