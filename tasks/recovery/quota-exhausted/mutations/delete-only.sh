rm data/debug.log && init.d/recorder restart
