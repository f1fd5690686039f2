package dev.sluice.harness.replay;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.UserMistakeException;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a foreign topic's JSON values, by what they mean to Sluice: {@code
 * time=ts,class=tier,workload=model,samples=images}. A field inside another is named with a full
 * stop between them.
 */
final class Fields {
  static final String TIME = "time";
  static final String CLASS = "class";
  static final String WORKLOAD = "workload";
  static final String BACKEND = "backend";
  static final String PRECISION = "precision";
  static final String SAMPLES = "samples";
  static final String SLO_MS = "slo_ms";
  private static final String OPTION = "--fields";
  private static final List<String> KNOWN =
      List.of(TIME, CLASS, WORKLOAD, BACKEND, PRECISION, SAMPLES, SLO_MS);

  /** Units of a numeric time, as the name of its field may end, in nanoseconds. */
  private static final Map<String, Long> UNITS =
      Map.of("s", 1_000_000_000L, "ms", 1_000_000L, "us", 1_000L, "ns", 1L);

  private final Map<String, List<String>> pathByMeaning = new LinkedHashMap<>();

  /** Unit of a numeric time; null: told by the number's size. */
  private @Nullable Long timeUnitNs;

  /** Reads the option's value; null: it was not given. */
  static Fields parse(@Nullable String text) throws UserMistakeException {
    var fields = new Fields();
    for (String pair : text == null ? new String[0] : text.split(",", -1)) {
      int equals = pair.indexOf('=');
      String meaning = equals < 0 ? pair : pair.substring(0, equals).strip();
      String name = equals < 0 ? "" : pair.substring(equals + 1).strip();
      UserMistakeException.throwIf(
          name.isEmpty(),
          OPTION,
          "the part (" + pair + ") is not of the form NAME=FIELD",
          "you meant one like time=ts,class=tier,workload=model");
      if (!KNOWN.contains(meaning)) {
        throw new UserMistakeException(
            OPTION,
            "the name (" + meaning + ") is unknown",
            NearestName.advice(meaning, KNOWN, "names"));
      }
      if (meaning.equals(TIME)) {
        name = fields.takeUnit(name);
      }
      UserMistakeException.throwIf(
          fields.pathByMeaning.put(meaning, List.of(name.split("\\."))) != null,
          OPTION,
          "the name (" + meaning + ") is given twice",
          "one of the two is enough");
    }
    return fields;
  }

  private String takeUnit(String name) throws UserMistakeException {
    int colon = name.lastIndexOf(':');
    if (colon < 0) {
      return name;
    }
    timeUnitNs = UNITS.get(name.substring(colon + 1));
    UserMistakeException.throwIf(
        timeUnitNs == null,
        OPTION,
        "the unit (" + name.substring(colon + 1) + ") of time is unknown",
        "you meant one of s, ms, us and ns");
    return name.substring(0, colon);
  }

  boolean isEmpty() {
    return pathByMeaning.isEmpty();
  }

  boolean has(String meaning) {
    return pathByMeaning.containsKey(meaning);
  }

  /** A field in words: the name that a person typed, and its meaning. */
  String shown(String meaning) {
    String name = String.join(".", pathByMeaning.getOrDefault(meaning, List.of()));
    return "field " + name + " (" + meaning + ")";
  }

  /** The value of a field; null if it was not named, or the record has none. */
  private @Nullable JsonNode value(JsonNode record, String meaning) {
    JsonNode value = record;
    for (String name : pathByMeaning.getOrDefault(meaning, List.of(""))) {
      value = value.path(name);
    }
    return value.isValueNode() && !value.isNull() ? value : null;
  }

  @Nullable String text(JsonNode record, String meaning) {
    JsonNode value = value(record, meaning);
    return value == null || value.asText().isEmpty() ? null : value.asText();
  }

  /** A whole number of samples; 0 if there is none, or it is below 1. */
  int samples(JsonNode record) {
    JsonNode value = value(record, SAMPLES);
    return value != null && value.canConvertToExactIntegral() && value.canConvertToInt()
        ? Math.max(0, value.asInt())
        : 0;
  }

  /** A promise in nanoseconds; 0 if there is none, or it is not above 0. */
  long sloNs(JsonNode record) {
    JsonNode value = value(record, SLO_MS);
    double ms = value == null || !value.isNumber() ? 0 : value.asDouble();
    return ms > 0 && ms < 1e12 ? Math.max(1, Math.round(ms * 1e6)) : 0;
  }

  /** The time of a record, nanoseconds since 1970; null if there is none that can be read. */
  @Nullable Long timeNs(JsonNode record) {
    JsonNode value = value(record, TIME);
    if (value == null) {
      return null;
    }
    try {
      return value.isNumber() ? ofNumber(value.decimalValue()) : ofText(value.asText());
    } catch (ArithmeticException | DateTimeException e) {
      return null;
    }
  }

  private static long ofText(String text) {
    Instant instant = OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
    return Math.addExact(
        Math.multiplyExact(instant.getEpochSecond(), 1_000_000_000L), instant.getNano());
  }

  /** A number of seconds, ms, µs or ns: between 1973 and 5138 its size tells which. */
  private long ofNumber(BigDecimal number) {
    Long unitNs = timeUnitNs;
    if (unitNs == null) {
      double size = number.abs().doubleValue();
      unitNs = size < 1e11 ? 1_000_000_000L : size < 1e14 ? 1_000_000L : size < 1e17 ? 1_000L : 1L;
    }
    return number.multiply(BigDecimal.valueOf(unitNs)).toBigInteger().longValueExact();
  }
}
