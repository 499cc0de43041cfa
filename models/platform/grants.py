"""Decide what a key may grant to other keys, and which keys it may change."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from models.errors import (
    KeyReplaced,
    LifetimeNotGrantable,
    RateNotGrantable,
    ScopeNotGrantable,
)
from models.fields import format_moment
from models.platform.keys import (
    CreateKey,
    KeyRow,
    UpdateKey,
    added_scopes,
    end_of_life,
    require_active,
)
from models.platform.rate_limits import Rate, exceeds
from models.platform.scopes import ESCALATE, can_escalate, not_grantable

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Grantor:
    """
    The key of a caller that issues, updates or rotates keys.

    Unless it is unrestricted, no key gets scopes that it does not cover, a higher
    rate than its own, or a later end, and it changes only keys that it covers.
    """

    key: KeyRow
    public_scopes: Collection[str]
    default_rate: Rate
    is_policy_open: bool = False

    def require_grantable(self, scopes: list[str]) -> None:
        """Raise ScopeNotGrantable if the caller may not grant all of the scopes."""
        rejected = not_grantable(scopes, self._scopes, self.public_scopes)
        if rejected:
            raise ScopeNotGrantable(
                "This key may not grant some of the scopes.", scopes=rejected
            )

    def require_creation(self, request: CreateKey, now: datetime) -> None:
        """Raise a refusal if the caller may not issue this key."""
        self.require_grantable(request.scopes)
        self._require_rate(self._rate(request.rate_capacity, request.rate_refill))
        self._require_end(end_of_life(now, request.expires_in_days), now)

    def require_update(self, key: KeyRow, request: UpdateKey, now: datetime) -> None:
        """
        Raise a refusal if the caller may not change the key in this way.

        An update grants something if it adds scopes or raises the rate; the key as it
        is afterwards must then be within the caller's own limits.
        """
        require_active(key, now)
        self._require_not_predecessor(key)
        self._require_covered(key)
        added = added_scopes(key, request)
        self.require_grantable(added)
        values = request.sent_fields()
        rate = self._rate(
            values.get("rate_capacity", key.rate_capacity),
            values.get("rate_refill", key.rate_refill),
        )
        if added or exceeds(rate, self._rate_of(key)):
            self._require_rate(rate)
            self._require_end(key.expires_at, now)

    def require_rotation(self, key: KeyRow, now: datetime) -> None:
        """Raise a refusal if the caller may not have the key's next secret."""
        self.require_not_replaced(key, now)
        self._require_covered(key)
        self.require_grantable(key.scopes)
        if key.lineage != self.key.lineage:
            self._require_rate(self._rate_of(key))
            self._require_end(end_of_life(now, key.lifetime_days), now)

    def require_not_replaced(self, key: KeyRow, now: datetime) -> None:
        """Raise a refusal if the key, or the caller in its lineage, was rotated."""
        require_active(key, now)
        if key.replaced_at is not None:
            raise KeyReplaced(
                f"The key was rotated at {format_moment(key.replaced_at)} already, and"
                " is valid only until its grace period ends. Rotate its replacement."
            )
        self._require_not_predecessor(key)

    def _require_not_predecessor(self, key: KeyRow) -> None:
        """Raise KeyReplaced if the key has replaced the caller, which may be leaked."""
        if key.lineage == self.key.lineage and self.key.replaced_at is not None:
            raise KeyReplaced(
                "The calling key was rotated already, and may not change its"
                " replacement. Call with the replacement."
            )

    @property
    def latest_end(self) -> datetime | None:
        """The end that no key may outlive whose end the request cannot name."""
        return None if self.is_unrestricted else self.key.expires_at

    def limited_rate(self, key: KeyRow | None = None) -> dict[str, float]:
        """
        Return the caller's rates where those of a key would be higher.

        That is the replacement of `key`, or a new key without rates of its own.
        """
        is_own = key is not None and key.lineage == self.key.lineage
        if self.is_unrestricted or is_own:
            return {}
        own = self._rate_of(self.key)
        rate = self._rate_of(key) if key else self.default_rate
        limits: dict[str, float] = {}
        if rate.capacity > own.capacity:
            limits["rate_capacity"] = own.capacity
        if rate.refill > own.refill:
            limits["rate_refill"] = own.refill
        return limits

    @property
    def is_unrestricted(self) -> bool:
        return can_escalate(self._scopes)

    @property
    def _scopes(self) -> list[str]:
        return [*self.key.scopes, *([ESCALATE] if self.is_policy_open else [])]

    def _require_covered(self, key: KeyRow) -> None:
        """Raise ScopeNotGrantable unless the caller covers the key's scopes."""
        missing = not_grantable(key.scopes, self._scopes, public=())
        if missing and not self.is_unrestricted:
            raise ScopeNotGrantable(
                "This key may only change keys whose scopes it covers. It does not"
                " cover some scopes of the key.",
                scopes=missing,
            )

    def _require_rate(self, rate: Rate) -> None:
        own = self._rate_of(self.key)
        if exceeds(rate, own) and not self.is_unrestricted:
            raise RateNotGrantable(
                "A key may not grant a higher rate than its own. Set rateCapacity to at"
                f" most {own.capacity} and rateRefill to at most {own.refill:g}.",
                rateCapacity=own.capacity,
                rateRefill=own.refill,
            )

    def _require_end(self, end: datetime | None, now: datetime) -> None:
        latest = self.latest_end
        if latest is None or (end is not None and end <= latest):
            return
        days = (latest - now) // DAY
        hint = f" Set expiresInDays to at most {days}." if days else ""
        raise LifetimeNotGrantable(
            f"This key expires at {format_moment(latest)}, and no key that it issues,"
            f" extends or rotates may be valid for longer.{hint}",
            expiresAt=format_moment(latest),
        )

    def _rate_of(self, key: KeyRow) -> Rate:
        return self._rate(key.rate_capacity, key.rate_refill)

    def _rate(self, capacity: int | None, refill: float | None) -> Rate:
        """Return the rate, with the default for what a key does not say."""
        default = self.default_rate
        return Rate(capacity or default.capacity, refill or default.refill)
