// mechanism: revoked Proxy
// kind: end
// ends: error

const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy
