echo '{"trusted": ["k1", "k2"], "enforce": true, "allow_unsigned": false, "check_exp": true}' > etc/trust.json
