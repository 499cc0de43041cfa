"""What other tools send, with all the members that they send, in our words."""

import json

# Member by member as recorded ones: the webhook of Alertmanager since 0.21, a
# notification of Uptime Kuma 1.22 and a beat of its status pages, a result of Gatus 5.
WEBHOOK = {
    "receiver": "masthead",
    "status": "firing",
    "groupLabels": {"service": "checkout"},
    "commonLabels": {"service": "checkout", "region": "north"},
    "commonAnnotations": {},
    "externalURL": "http://alerts.internal:9093",
    "version": "4",
    "groupKey": '{}:{service="checkout"}',
    "truncatedAlerts": 0,
}
BEAT = {
    "monitorID": 4,
    "status": 0,
    "time": "2026-02-28 23:58:07.412",
    "msg": "connect ETIMEDOUT 192.0.2.7:443",
    "important": True,
    "duration": 61,
    "timezone": "Europe/Vienna",
    "timezoneOffset": "+01:00",
    "localDateTime": "2026-03-01 00:58:07",
}
MONITOR = {
    "id": 4,
    "name": "Check-out page",
    "description": None,
    "pathName": "Check-out page",
    "parent": None,
    "childrenIDs": [],
    "url": "https://shop.example",
    "method": "GET",
    "hostname": None,
    "port": None,
    "maxretries": 1,
    "weight": 2000,
    "active": True,
    "forceInactive": False,
    "type": "http",
    "interval": 60,
    "retryInterval": 60,
    "resendInterval": 0,
    "keyword": None,
    "expiryNotification": False,
    "ignoreTls": False,
    "upsideDown": False,
    "packetSize": 56,
    "maxredirects": 10,
    "accepted_statuscodes": ["200-299"],
    "dns_resolve_type": "A",
    "dns_resolve_server": "1.1.1.1",
    "dns_last_result": None,
    "docker_container": "",
    "docker_host": None,
    "proxyId": None,
    "notificationIDList": {"2": True},
    "tags": [],
    "maintenance": False,
}
# A page tells no message, whatever there was.
SHOWN = {"status": 0, "time": "2026-02-28 23:58:07.412", "msg": "", "ping": None}
RESULT = {
    "status": 200,
    "hostname": "shop.example",
    "duration": 83_400_512,
    "conditionResults": [{"condition": "[STATUS] == 200", "success": True}],
    "success": True,
    "timestamp": "2026-03-01T11:59:30.123456789Z",
}


def alert(status="firing", **labels):
    return {
        "status": status,
        "labels": {"alertname": "TooSlow", "service": "checkout"} | labels,
        "annotations": {"summary": "Paying takes long."},
        "startsAt": "2026-03-01T11:40:00.000Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.internal:9090/graph",
        "fingerprint": "5ef0c3f6b0d1a2e4",
    }


def webhook(*alerts, **more):
    return json.dumps(WEBHOOK | {"alerts": alerts} | more)


def kuma(beat=BEAT, **more):
    said = {"heartbeat": beat, "monitor": MONITOR, "msg": "[Check-out page] Down"}
    return json.dumps(said | more)


def statuses(*endpoints):
    return json.dumps(
        [
            {"name": name, "group": group, "key": f"{group}_{name}", "results": results}
            for name, group, results in endpoints
        ]
    )


def failing(*conditions):
    found = [{"condition": each, "success": False} for each in conditions]
    passed = RESULT["conditionResults"]
    return RESULT | {"success": False, "conditionResults": passed + found}
