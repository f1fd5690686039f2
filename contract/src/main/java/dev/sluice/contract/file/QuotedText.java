package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;

/**
 * Texts in double quotes, as Jackson writes them, so that YAML and JSON read any text as it was. A
 * text that only has letters to be seen keeps them; of another, all but ASCII is written as \\u and
 * four digits.
 */
public final class QuotedText {
  private static final ObjectWriter AS_IT_IS = new JsonMapper().writer();
  private static final ObjectWriter ASCII =
      JsonMapper.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .build()
          .writer();

  private QuotedText() {}

  public static String of(String text) {
    return isVisible(text) ? written(AS_IT_IS, text) : ascii(text);
  }

  public static String ascii(String text) {
    return written(ASCII, text).replace("\u007f", "\\u007f"); // JSON allows DEL, YAML does not
  }

  private static String written(ObjectWriter writer, String text) {
    try {
      return writer.writeValueAsString(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a text can be written", e);
    }
  }

  /** False for control characters, ends of lines, marks without width, and halves of letters. */
  private static boolean isVisible(String text) {
    return text.codePoints()
        .allMatch(
            letter ->
                switch (Character.getType(letter)) {
                  case Character.CONTROL,
                      Character.FORMAT,
                      Character.SURROGATE,
                      Character.LINE_SEPARATOR,
                      Character.PARAGRAPH_SEPARATOR,
                      Character.UNASSIGNED ->
                      false;
                  default -> true;
                });
  }
}
