sed -i s/label_v2/label_v1/ run/labels.json; init.d/labels stop; init.d/labels respawn
