init.d/gate status; sort log/gate.log | uniq -c; cat etc/trust.json; ls -R etc/keyring
---
sed -n '20,60p' services/gate.py
---
sed -i 's/"k1"/"k1", "k2"/' etc/trust.json && cat etc/trust.json && init.d/gate restart
---
python3 lib/ask.py run/gate.sock '{"token": "k1.junk.junk"}'; python3 lib/ask.py run/gate.sock '{"token": "k0.e30.00"}'
