"""How many examples a property is tried with: of the profile's, a share."""

from hypothesis import settings


def share(of_a_hundred: int) -> settings:
    """So many where the profile has a hundred."""
    profile = settings.get_profile(settings.get_current_profile_name())
    return settings(max_examples=max(1, profile.max_examples * of_a_hundred // 100))
