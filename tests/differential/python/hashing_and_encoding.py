import hashlib, base64, binascii, zlib, hmac, uuid
hashlib.sha256(b"abc").hexdigest(), hashlib.md5(b"").hexdigest(), hashlib.blake2b(b"x", digest_size=8).hexdigest(), hashlib.new("sha1", b"q").hexdigest()[:8], hashlib.sha3_256(b"").hexdigest()[:8]
# --- cell
base64.b64encode(b"\xff\xfe?"), base64.urlsafe_b64encode(b"\xff\xfe?"), base64.b32encode(b"hi"), base64.b85encode(b"hello"), base64.b64decode("aGk="), base64.b16decode("FF")
# --- cell
base64.b64decode("a", validate=True)
# --- cell
zlib.crc32(b"hello"), zlib.adler32(b"x"), zlib.decompress(zlib.compress(b"abc" * 50)) == b"abc" * 50, binascii.hexlify(b"\x01\x02", "-"), hmac.new(b"k", b"m", "sha256").hexdigest()[:10]
# --- cell
uuid.UUID(int=5), uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"), uuid.UUID("{12345678123456781234567812345678}").urn, hashlib.pbkdf2_hmac("sha256", b"p", b"s", 10).hex()[:12]
# --- cell
zlib.decompress(b"nonsense")
