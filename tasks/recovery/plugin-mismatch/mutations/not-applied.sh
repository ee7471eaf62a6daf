sed -i s/label_v2/label_v1/ etc/plugin.json
