echo '{"trusted": ["k1", "k2"], "check_exp": false}' > etc/trust.json && init.d/gate restart
