package dev.sluice.harness.process;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Passwords and keys of a Kafka's clients, which no output may hold. */
public final class Secrets {
  public static final Secrets NONE = new Secrets(List.of());

  private static final String HIDDEN = "[hidden]";
  private static final Pattern SECRET_NAME =
      Pattern.compile("pass|secret|token|credential|private|keystore\\.key|jaas");
  private static final Pattern JAAS_OPTION = Pattern.compile("([\\w.]+)\\s*=\\s*\"?([^\"\\s;]+)");

  /** Values with the longest first, since one may be part of another. */
  private final List<String> values;

  private Secrets(List<String> values) {
    this.values = values.stream().sorted(Comparator.comparingInt(v -> -v.length())).toList();
  }

  /** Secrets among client properties, known by their names; each option of a login counts alone. */
  public static Secrets of(Map<String, String> properties) {
    List<String> values = new ArrayList<>();
    properties.forEach(
        (name, value) -> {
          if (!isSecret(name)) {
            return;
          }
          values.add(value);
          Matcher option = JAAS_OPTION.matcher(value);
          while (option.find()) {
            if (isSecret(option.group(1))) {
              values.add(option.group(2));
            }
          }
        });
    values.removeIf(String::isBlank);
    return new Secrets(values);
  }

  private static boolean isSecret(String name) {
    return SECRET_NAME.matcher(name.toLowerCase(Locale.ROOT)).find();
  }

  public String hide(String text) {
    String hidden = text;
    for (String value : values) {
      hidden = hidden.replace(value, HIDDEN);
    }
    return hidden;
  }
}
