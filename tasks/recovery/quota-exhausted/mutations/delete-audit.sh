rm data/debug.log data/audit.log; echo '{"debug": false}' > etc/recorder.json && init.d/recorder restart
