sed -i s/label_v2/label_v1/ etc/plugin.json; init.d/labels restart; sed -i 's/^\[RYE\]/[Rye]/' data/history.log
