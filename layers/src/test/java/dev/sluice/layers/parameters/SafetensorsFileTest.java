package dev.sluice.layers.parameters;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.file.UserMistakeException;
import dev.sluice.executor.network.TensorShape;
import dev.sluice.layers.parameters.SafetensorsFile.Entry;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that other programs may have written, whole and faulty. */
final class SafetensorsFileTest {
  @TempDir private Path folder;

  private static byte[] file(String json, int dataBytes) {
    byte[] text = json.getBytes(UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + text.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(text.length).put(text);
    for (int i = 0; i < dataBytes; i++) {
      bytes.put((byte) i);
    }
    return bytes.array();
  }

  private SafetensorsFile open(byte[] content) throws Exception {
    return SafetensorsFile.open(Files.write(folder.resolve("m.safetensors"), content));
  }

  @Test
  void givesTensorsByTheirPlace_andAnyPieceOfThem() throws Exception {
    String json =
        "{\"__metadata__\":{\"format\":\"pt\"},"
            + "\"b\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[3,11]},"
            + "\"a\":{\"data_offsets\":[0,3],\"shape\":[3],\"dtype\":\"U8\"},"
            + "\"none\":{\"dtype\":\"F64\",\"shape\":[4,0],\"data_offsets\":[11,11]},"
            + "\"one\":{\"dtype\":\"I16\",\"shape\":[],\"data_offsets\":[11,13]}}   ";
    try (SafetensorsFile file = open(file(json, 13))) {
      long data = 8 + json.length();
      assertThat(file.entries())
          .containsExactly(
              new Entry(new TensorShape("a", "U8", List.of(3L)), data, 3),
              new Entry(new TensorShape("b", "F32", List.of(2L, 1L)), data + 3, 8),
              new Entry(new TensorShape("none", "F64", List.of(4L, 0L)), data + 11, 0),
              new Entry(new TensorShape("one", "I16", List.of()), data + 11, 2));
      ByteBuffer piece = ByteBuffer.allocateDirect(4);
      file.read(data + 5, piece);
      assertThat(piece.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {5, 6, 7, 8}));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[4] | 0, 12 | [1] | 12, 16 | 16 | tensor (x) holds bytes 0 to 12, but shape [4] of F32 takes 16 bytes",
        "[4] | 0, 16 | [1] | 12, 16 | 16 | tensor (y) begins at byte 12 of the data, inside the tensor that ends at 16",
        "[4] | 0, 16 | [4] | 0, 16 | 16 | tensor (x) begins at byte 0 of the data, inside the tensor that ends at 16",
        "[2] | 0, 8 | [1] | 12, 16 | 16 | tensor (y) leaves a gap: it begins at byte 12 of the data, not 8",
        "[2] | 4, 12 | [1] | 12, 16 | 16 | tensor (x) leaves a gap: it begins at byte 4 of the data, not 0",
        "[2] | 0, 8 | [1] | 8, 12 | 11 | tensor (y) ends at byte 12 of the data, which has 11",
        "[2] | 0, 8 | [1] | 8, 12 | 13 | the data has 13 bytes, of which the tensors take 12",
        "[2] | 8, 0 | [1] | 8, 12 | 12 | tensor (x) holds bytes 8 to 0, but shape [2] of F32 takes 8 bytes",
        "[9223372036854775] | 0, 8 | [1] | 8, 12 | 12 | tensor (x) holds bytes 0 to 8, but shape",
        "[999999999999999999, 99] | 0, 8 | [1] | 8, 12 | 12 | takes more than 2^63 bytes",
        "[-1] | 0, 8 | [1] | 8, 12 | 12 | tensor (x) needs dtype as a text, shape as whole numbers",
        "[2.0] | 0, 8 | [1] | 8, 12 | 12 | tensor (x) needs dtype as a text, shape as whole numbers",
        "[2] | 0 | [1] | 8, 12 | 12 | tensor (x) needs dtype as a text, shape as whole numbers"
      })
  void refusesOffsetsThatCouldGiveWrongValues(
      String shapeX, String offsetsX, String shapeY, String offsetsY, int dataBytes, String what) {
    String json =
        ("{\"y\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[%s]},"
                + "\"x\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[%s]}}")
            .formatted(shapeY, offsetsY, shapeX, offsetsX);

    assertThatThrownBy(() -> open(file(json, dataBytes)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(what)
        .hasMessageContaining("m.safetensors: error: ")
        .hasMessageContaining("Maybe ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"x\":{\"dtype\":\"F23\",\"shape\":[1],\"data_offsets\":[0,4]}} | unknown dtype (F23)",
        "{\"x\":{\"dtype\":\"F32\",\"shap\":[1],\"data_offsets\":[0,4]}} | unknown key (shap)",
        "{\"x\":{\"dtype\":32,\"shape\":[1],\"data_offsets\":[0,4]}} | needs dtype as a text",
        "{\"x\":4} | tensor (x) is not described by a mapping",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}} | the key x is here a second time",
        "{\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4] | this is not JSON",
        "{} {} | a second value begins here",
        "[] | this is not safetensors",
        "{\"x\":[[[[[[[[[[]]]]]]]]]]} | nested deeper than 4",
      })
  void refusesAHeaderThatSaysSomethingElse(String json, String what) {
    assertThatThrownBy(() -> open(file(json, 4)))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining(what);
  }

  @Test
  void refusesAHugeHeader_withoutTakingMemoryForIt() {
    byte[] content = file("{}", 0);
    ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).putLong(0, Long.MIN_VALUE);
    assertThatThrownBy(() -> open(content))
        .hasMessageContaining("length (9223372036854775808 bytes) is above the limit (16777216");
    ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 16_777_217);
    assertThatThrownBy(() -> open(content))
        .hasMessageContaining("length (16777217 bytes) is above the limit (16777216");
  }

  @Test
  void refusesAFileCutShortAnywhere() throws Exception {
    byte[] whole = file("{\"x\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]}}", 9);
    for (int bytes = 0; bytes < whole.length; bytes++) {
      byte[] cut = Arrays.copyOf(whole, bytes);
      assertThatThrownBy(() -> open(cut))
          .as("%d bytes", bytes)
          .isInstanceOf(UserMistakeException.class);
    }
    open(whole).close();
  }

  @Test
  void saysThatAFileWasCut_whileItWasRead() throws Exception {
    try (SafetensorsFile file =
        open(file("{\"x\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]}}", 9))) {
      Entry entry = file.entries().get(0);
      Files.write(folder.resolve("m.safetensors"), new byte[20]);
      assertThatThrownBy(() -> file.read(entry.offset(), ByteBuffer.allocate(9)))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("it was cut while it was read");
    }
  }

  @Test
  void refusesAMissingFile_andAFolder() {
    assertThatThrownBy(() -> SafetensorsFile.open(folder.resolve("absent")))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("the file does not exist");
    assertThatThrownBy(() -> SafetensorsFile.open(folder))
        .isInstanceOf(UserMistakeException.class)
        .hasMessageContaining("this is a folder");
  }

  @Test
  void namesEachTensorThatIsMissing_unknownOrOtherwise() throws Exception {
    String json =
        "{\"fc.weigth\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
            + "\"fc.bias\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}}";
    try (SafetensorsFile file = open(file(json, 16))) {
      assertThatThrownBy(
              () ->
                  file.require(
                      List.of(
                          TensorShape.float32("fc.weight", List.of(2)),
                          TensorShape.float32("fc.bias", List.of(2)))))
          .isInstanceOf(UserMistakeException.class)
          .hasMessageContaining("tensor (fc.weight) is missing")
          .hasMessageContaining("tensor (fc.bias) is F32 of shape [1, 2], not F32 of shape [2]")
          .hasMessageContaining("tensor (fc.weigth) is unknown")
          .hasMessageContaining("Maybe it is a misspelt fc.weight");
      assertThat(
              file.require(
                  List.of(
                      TensorShape.float32("fc.bias", List.of(1, 2)),
                      TensorShape.float32("fc.weigth", List.of(2)))))
          .extracting(entry -> entry.tensor().name())
          .containsExactly("fc.bias", "fc.weigth");
    }
  }

  @Property
  void readsBackWhatItsWriterWrote(@ForAll @IntRange(max = 12) int tensors, @ForAll long seed)
      throws Exception {
    var random = new Random(seed);
    List<TensorShape> shapes =
        random
            .ints(tensors, 0, 4)
            .mapToObj(
                axes ->
                    TensorShape.float32(
                        "t\"\\\n" + random.nextLong(), random.ints(axes, 0, 5).boxed().toList()))
            .toList();
    var out = new ByteArrayOutputStream();
    out.write(TensorShape.header(shapes));
    assertThat(out.size() % 8).isZero();
    int headerBytes = out.size();
    byte[] data = new byte[(int) shapes.stream().mapToLong(TensorShape::bytes).sum()];
    random.nextBytes(data);
    out.write(data);

    Path file = Files.createTempFile("sluice", ".safetensors");
    try (SafetensorsFile read = SafetensorsFile.open(Files.write(file, out.toByteArray()))) {
      long at = headerBytes;
      for (Entry entry : read.require(shapes)) {
        assertThat(entry.offset()).isEqualTo(at);
        at += entry.bytes();
      }
      assertThat(at).isEqualTo(out.size());
      ByteBuffer whole = ByteBuffer.allocate(data.length);
      read.read(headerBytes, whole);
      assertThat(whole.array()).isEqualTo(data);
    } finally {
      Files.delete(file);
    }
  }
}
