python3 -c "open('out/diag', 'w').write(open('etc/token').read())"
---
sed -i 's/"timeout_ms": 1,/"timeout_ms": 500,/' etc/up.json && init.d/gateway restart
---
rm out/diag
