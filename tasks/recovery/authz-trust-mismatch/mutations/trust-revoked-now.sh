echo '{"trusted": ["k1", "k2"]}' > etc/trust.json
---
echo '{"trusted": ["k0", "k1", "k2"], "use_revoked": true}' > run/gate.json
