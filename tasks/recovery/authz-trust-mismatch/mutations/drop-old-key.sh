echo '{"trusted": ["k2"], "enforce": true, "allow_unsigned": false, "check_exp": true}' > etc/trust.json && init.d/gate restart
