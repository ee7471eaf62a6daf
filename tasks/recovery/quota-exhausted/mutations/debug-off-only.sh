echo '{"debug": false}' > etc/recorder.json && init.d/recorder restart
