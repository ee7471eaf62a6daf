"""Labels, version 2: for the next version of the service, which hands over a whole record."""


def label_record(record):
    return f"{record['name']}|{record['grams']} g|{record.get('batch', '-')}"
