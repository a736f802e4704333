# OpenSSL, which has these two elsewhere, is not in a sandbox.
def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
    if not isinstance(hash_name, str):
        raise TypeError(f"hash_name must be a string, not {type(hash_name).__name__}")
    password, salt = bytes(memoryview(password)), bytes(memoryview(salt))
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    inner = new(hash_name)  # noqa: F821
    size, block = inner.digest_size, inner.block_size
    if not size:
        raise ValueError(f"unsupported hash type {hash_name}")
    if dklen is None:
        dklen = size
    if dklen < 1:
        raise ValueError("key length must be greater than 0.")
    if len(password) > block:
        password = new(hash_name, password).digest()  # noqa: F821
    password += bytes(block - len(password))
    inner.update(bytes(byte ^ 0x36 for byte in password))
    outer = new(hash_name, bytes(byte ^ 0x5C for byte in password))  # noqa: F821
    inner_copy, outer_copy, number = inner.copy, outer.copy, int.from_bytes

    def prf(message):
        one, two = inner_copy(), outer_copy()
        one.update(message)
        two.update(one.digest())
        return two.digest()

    key = b""
    for index in range(1, -(-dklen // size) + 1):
        step = prf(salt + index.to_bytes(4, "big"))
        mixed = number(step, "big")
        for _ in range(iterations - 1):
            step = prf(step)
            mixed ^= number(step, "big")
        key += mixed.to_bytes(size, "big")
    return key[:dklen]


def scrypt(password, *, salt, n, r, p, maxmem=0, dklen=64):
    """Not available: a memory-hard function needs OpenSSL here. pbkdf2_hmac is there."""
    raise NotImplementedError(
        "hashlib.scrypt needs OpenSSL, which a sandbox does not have; hashlib.pbkdf2_hmac is available"
    )


__all__ += ("pbkdf2_hmac",)  # noqa: F821
