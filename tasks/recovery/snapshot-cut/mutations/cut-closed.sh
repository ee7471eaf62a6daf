python3 -c "t = open('data/snapshot.json').read(); open('data/snapshot.json', 'w').write(t[:t.rindex(',')] + '}}')"
---
sed -i s/in-place/atomic/ etc/accounts.json; init.d/accounts start
