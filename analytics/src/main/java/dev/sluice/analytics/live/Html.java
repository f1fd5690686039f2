package dev.sluice.analytics.live;

import org.jspecify.annotations.Nullable;

/** Text of a page: whatever is not markup of this program is escaped. */
public final class Html {
  private final StringBuilder text = new StringBuilder();

  /** Adds markup. */
  public Html raw(String markup) {
    text.append(markup);
    return this;
  }

  /** Adds text, escaped. */
  public Html text(@Nullable String plain) {
    text.append(escaped(plain == null ? "" : plain));
    return this;
  }

  /** Adds an element without attributes that holds text. */
  public Html element(String tag, @Nullable String plain) {
    return raw("<" + tag + ">").text(plain).raw("</" + tag + ">");
  }

  static String escaped(String plain) {
    var escaped = new StringBuilder(plain.length() + 16);
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c < ' ' && c != '\n' && c != '\t' ? '\uFFFD' : c);
      }
    }
    return escaped.toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
