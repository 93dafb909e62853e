//! Times as people write them.

use alloc::string::String;

/// Days of 400 years of the Gregorian calendar.
const DAYS_OF_ERA: u64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: u64 = 719_468;

/// Seconds since 1970-01-01 UTC as `2023-11-14T22:13:20Z`.
#[must_use]
pub fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years start in March here, so that the leap day is a year's last.
    let days = days.saturating_add(EPOCH);
    let (era, day) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
    let leaps = (day / 1460).saturating_sub(day / 36_524).saturating_add(day / (DAYS_OF_ERA - 1));
    let year_of_era = day.saturating_sub(leaps) / 365;
    let before = year_of_era.saturating_mul(365).saturating_add(year_of_era / 4).saturating_sub(year_of_era / 100);
    let day_of_year = day.saturating_sub(before);
    let month_from_march = day_of_year.saturating_mul(5).saturating_add(2) / 153;
    let day_of_month =
        day_of_year.saturating_sub(month_from_march.saturating_mul(153).saturating_add(2) / 5).saturating_add(1);
    let (month, next_year) = match month_from_march {
        0..=9 => (month_from_march.saturating_add(3), 0),
        _ => (month_from_march.saturating_sub(9), 1),
    };
    let year = era.saturating_mul(400).saturating_add(year_of_era).saturating_add(next_year);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    alloc::format!("{year:04}-{month:02}-{day_of_month:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_700_000_000, "2023-11-14T22:13:20Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
        // Far beyond any calendar, and still no overflow.
        assert!(utc(u64::MAX).ends_with('Z'));
    }
}
