echo '{"trusted": ["k1", "k2"], "allow_unsigned": true}' > etc/trust.json && init.d/gate restart
