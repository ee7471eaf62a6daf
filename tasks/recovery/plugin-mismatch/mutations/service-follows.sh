sed -i 's/"label" not in/"label_record" not in/; s/names."label".(str.*/names["label_record"](request)/' services/labels.py; init.d/labels restart
