: > data/usage.log; : > data/banned.txt
---
init.d/gateway restart
