sed -i s/label_v2/label_v1/ etc/plugin.json; sed -i 's/: true/: false/' etc/plugin.json; init.d/labels restart
