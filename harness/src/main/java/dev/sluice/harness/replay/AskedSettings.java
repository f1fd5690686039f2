package dev.sluice.harness.replay;

import dev.sluice.contract.file.NearestName;
import dev.sluice.contract.file.Numbers;
import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.scheduler.replay.ReplaySettings;
import dev.sluice.scheduling.driver.CoreSettings.Admission;
import dev.sluice.scheduling.policies.Policies;
import dev.sluice.scheduling.policy.Weight;
import dev.sluice.scheduling.policy.Weight.Mistake;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads what {@code --with} asks in each recorded state, and says what of it differs. */
final class AskedSettings {
  private static final String POLICY = "scheduler_name";
  private static final String WEIGHT = "scheduler.";
  private static final String ADMISSION = "admission";

  private AskedSettings() {}

  /** Reads the assignments of {@code --with}; the last one of a key counts. */
  static ReplaySettings of(ReplaySettings recorded, List<String> assignments)
      throws UserMistakeException {
    if (assignments.isEmpty()) {
      return recorded;
    }
    Map<String, String> given = new LinkedHashMap<>();
    for (String assignment : assignments) {
      int equals = assignment.indexOf('=');
      if (equals <= 0) {
        throw mistake(assignment, "this is not written KEY=VALUE", "--with scheduler.urgency=2");
      }
      given.put(assignment.substring(0, equals).strip(), assignment.substring(equals + 1).strip());
    }
    String name = recorded.schedulerName();
    if (given.containsKey(POLICY)) {
      name = oneOf(POLICY, given.remove(POLICY), Policies.names(), "schedulers");
    }
    Admission admission = recorded.core().admission();
    if (given.containsKey(ADMISSION)) {
      List<String> known =
          Stream.of(Admission.values()).map(a -> a.name().toLowerCase(Locale.ROOT)).toList();
      admission =
          Admission.valueOf(
              oneOf(ADMISSION, given.remove(ADMISSION), known, "admissions")
                  .toUpperCase(Locale.ROOT));
    }
    Map<String, Double> weights = new LinkedHashMap<>();
    if (name.equals(recorded.schedulerName())) {
      weights.putAll(recorded.weights());
    }
    for (Map.Entry<String, String> entry : given.entrySet()) {
      String key = entry.getKey();
      if (!key.startsWith(WEIGHT)) {
        throw mistake(
            key + "=" + entry.getValue(),
            "the key (" + key + ") cannot be asked in recorded states",
            "you meant scheduler_name, scheduler.WEIGHT or admission; a replay of the requests"
                + " takes every key by --set");
      }
      weights.put(weightName(name, key, entry.getValue()), weight(key, entry.getValue()));
    }
    Optional<Mistake> wrong = Policies.mistakeIn(name, weights);
    if (wrong.isPresent()) {
      String key = WEIGHT + wrong.get().weight();
      throw mistake(
          given.containsKey(key) ? key + "=" + given.get(key) : POLICY + "=" + name,
          WEIGHT + wrong.get().what(),
          wrong.get().maybe());
    }
    return recorded.with(new ReplaySettings.Asked(name, weights, admission));
  }

  private static String weightName(String policy, String key, String value)
      throws UserMistakeException {
    String name = key.substring(WEIGHT.length());
    List<String> known = Policies.weights(policy).stream().map(Weight::name).toList();
    if (!known.contains(name)) {
      throw mistake(
          key + "=" + value,
          "the scheduler (" + policy + ") has no weight (" + name + ")",
          known.isEmpty()
              ? "you want another scheduler: this one has no weights"
              : NearestName.advice(name, known, "weights"));
    }
    return name;
  }

  private static double weight(String key, String value) throws UserMistakeException {
    if (!Numbers.DECIMAL.matcher(value).matches()) {
      throw mistake(key + "=" + value, "the weight (" + value + ") must be a number", key + "=2");
    }
    return Double.parseDouble(value);
  }

  private static String oneOf(String key, String value, List<String> known, String plural)
      throws UserMistakeException {
    if (!known.contains(value)) {
      throw mistake(
          key + "=" + value,
          key + " (" + value + ") is unknown",
          NearestName.advice(value, known, plural));
    }
    return value;
  }

  private static UserMistakeException mistake(String assignment, String what, String maybe) {
    return new UserMistakeException("--with " + assignment, what, maybe);
  }

  /** Returns the recorded scheduler, or what is asked in its place, for a person. */
  static String words(ReplaySettings recorded) {
    ReplaySettings.Asked asked = recorded.asked();
    if (asked == null) {
      return recorded.schedulerName();
    }
    List<String> words = new ArrayList<>();
    boolean samePolicy = asked.schedulerName().equals(recorded.schedulerName());
    words.add(
        samePolicy
            ? asked.schedulerName()
            : asked.schedulerName() + " in place of " + recorded.schedulerName());
    Map<String, Double> before = Policies.defaultWeights(asked.schedulerName());
    if (samePolicy) {
      before.putAll(recorded.weights());
    }
    before.forEach(
        (weight, value) -> {
          double now = asked.weights().getOrDefault(weight, value);
          if (now != value) {
            words.add(weight + " " + Numbers.text(now) + " in place of " + Numbers.text(value));
          }
        });
    Admission admission = recorded.core().admission();
    if (asked.admission() != admission) {
      words.add("admission " + text(asked.admission()) + " in place of " + text(admission));
    }
    return String.join(", ", words);
  }

  private static String text(Admission admission) {
    return admission.name().toLowerCase(Locale.ROOT);
  }
}
