package dev.sluice.contract.file;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Rows of JSON Lines: one object a row. A key that a row lacks is an empty field. */
final class JsonTraceRows extends TraceRows {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private static final JsonFactory FAST = new JsonFactory();

  private final JsonParser parser;
  private final List<String> columns;
  private final List<String> wanted = new ArrayList<>();
  private int used;

  /**
   * @param firstBytes beginning of the stream, which holds the first object, or as much of it as a
   *     first object may have
   * @param in the whole stream
   */
  JsonTraceRows(String source, byte[] firstBytes, InputStream in) throws UserMistakeException {
    super(source);
    bytes = new byte[256];
    List<String> keys = new ArrayList<>();
    try {
      try (JsonParser first = FACTORY.createParser(firstBytes)) {
        first.nextToken();
        for (String key = first.nextFieldName(); key != null; key = first.nextFieldName()) {
          keys.add(key);
          first.nextToken();
          first.skipChildren();
        }
      }
      parser = FAST.createParser(in);
    } catch (JsonProcessingException e) {
      throw notJson(new Place(source, 1), e);
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory can be read", e);
    }
    columns = List.copyOf(keys);
  }

  @Override
  public List<String> columns() {
    return columns;
  }

  @Override
  public Place header() {
    return new Place(source, 1);
  }

  @Override
  public int column(String asked) {
    String name = inTheCaseOfTheFile(asked);
    int known = wanted.indexOf(name);
    if (known >= 0) {
      return known;
    }
    wanted.add(name);
    starts = new int[wanted.size()];
    ends = new int[wanted.size()];
    return wanted.size() - 1;
  }

  @Override
  public boolean isSparse() {
    return true;
  }

  @Override
  public boolean next() throws UserMistakeException {
    try {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return false;
      }
      if (token != JsonToken.START_OBJECT) {
        throw mistake("a row is no JSON object", "each line should be {…}");
      }
      used = 0;
      Arrays.fill(starts, -1);
      for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
        JsonToken value = parser.nextToken();
        int column = wanted.indexOf(key);
        if (column < 0) {
          parser.skipChildren();
        } else {
          read(column, key, value);
        }
      }
      for (int i = 0; i < starts.length; i++) {
        if (starts[i] < 0) {
          starts[i] = 0;
          ends[i] = 0;
        }
      }
      return true;
    } catch (JsonProcessingException e) {
      throw notJson(place(), e);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void read(int column, String key, JsonToken value)
      throws IOException, UserMistakeException {
    if (starts[column] >= 0) {
      throw mistake("the key (%s) stands there twice".formatted(key), "one should be removed");
    }
    if (!value.isScalarValue()) {
      throw mistake("%s is no single value".formatted(key), "another key was meant");
    }
    starts[column] = used;
    if (value != JsonToken.VALUE_NULL) {
      char[] chars = parser.getTextCharacters();
      int offset = parser.getTextOffset();
      int length = parser.getTextLength();
      if (3 * length > bytes.length - used) {
        bytes = Arrays.copyOf(bytes, used + 3 * length + bytes.length);
      }
      for (int i = 0; i < length; i++) {
        if (chars[offset + i] > 127) {
          byte[] text = new String(chars, offset, length).getBytes(StandardCharsets.UTF_8);
          System.arraycopy(text, 0, bytes, used, text.length);
          used += text.length;
          ends[column] = used;
          return;
        }
        bytes[used + i] = (byte) chars[offset + i];
      }
      used += length;
    }
    ends[column] = used;
  }

  @Override
  public int line() {
    return Math.max(1, parser.currentTokenLocation().getLineNr());
  }

  private static UserMistakeException notJson(Place place, JsonProcessingException e) {
    int line = e.getLocation() == null ? place.line() : e.getLocation().getLineNr();
    return new UserMistakeException(
        new Place(place.source(), line).toString(),
        "this is not JSON (%s)".formatted(shortened(UserMistakeException.reason(e).strip())),
        "the line was cut, or a quote or a bracket is wrong",
        e);
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }
}
