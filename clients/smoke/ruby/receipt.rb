# frozen_string_literal: true

# A log receipt, verified with nothing but SHA-256 and Ed25519: Merkle inclusion (RFC 9162, 2.1.3.2) in the tree of a
# checkpoint that the log's key has signed (C2SP tlog-proof, tlog-checkpoint, signed-note).
require "base64"
require "openssl"

module Receipt
  class Refused < StandardError; end

  SPKI = ["302a300506032b6570032100"].pack("H*") # what DER puts before an Ed25519 key
  ORDER = 2**252 + 27742317777372353535851937790883648493
  SMALL_ORDER = %w[
    0100000000000000000000000000000000000000000000000000000000000000
    ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f
    0000000000000000000000000000000000000000000000000000000000000000
    0000000000000000000000000000000000000000000000000000000000000080
    26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05
    26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85
    c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a
    c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa
  ].map { |hex| [hex].pack("H*") }.freeze
  MAX_SIZE = 2**53 - 1
  NUMBER = /0|[1-9][0-9]{0,15}/.freeze

  module_function

  # Whether the key has signed the message; points of small order sign nothing.
  def signed?(signature, message, public_key)
    return false unless signature.bytesize == 64 && public_key.bytesize == 32
    return false if SMALL_ORDER.include?(public_key) || SMALL_ORDER.include?(signature.byteslice(0, 32))
    return false unless signature.byteslice(32, 32).reverse.unpack1("H*").hex < ORDER

    OpenSSL::PKey.read(SPKI + public_key).verify(nil, signature, message)
  end

  # Whether the hash is a leaf's at this place of a tree of this size and root.
  def included?(leaf_hash, index:, size:, proof:, root:)
    return false if index >= size

    place = index
    last = size - 1
    hash = leaf_hash
    proof.each do |sibling|
      return false if last.zero?

      if place.odd? || place == last
        hash = node(sibling, hash)
        place, last = place / 2, last / 2 while place.even? && place.positive?
      else
        hash = node(hash, sibling)
      end
      place /= 2
      last /= 2
    end
    last.zero? && hash == root
  end

  # The size of the tree in which the receipt shows the leaf; Refused where it does not show it.
  def verify(text, leaf:, origin:, keys:)
    head, checkpoint = text.split("\n\n", 2)
    refuse("it has no checkpoint") if checkpoint.nil?
    first, second, *hashes = head.split("\n", -1)
    refuse("its first line is another") unless first == "c2sp.org/tlog-proof@v1" && hashes.size <= 64
    place = /\Aindex (#{NUMBER})\z/.match(second.to_s) or refuse("its second line is no index")
    index = Integer(place[1], 10)
    refuse("its index is too large") if index > MAX_SIZE
    proof = hashes.map { |line| base64(line, 32) }
    size, root = open_checkpoint(checkpoint, origin, keys)
    leaf_hash = OpenSSL::Digest::SHA256.digest("\x00".b + leaf.b)
    refuse("the leaf is not in the tree") unless included?(leaf_hash, index: index, size: size, proof: proof, root: root)
    size
  end

  def open_checkpoint(note, origin, keys)
    cut = note.rindex("\n\n") or refuse("the checkpoint is no signed note")
    body = note[0..cut]
    signers = note[(cut + 2)..].split("\n", -1)[0...-1].sum do |line|
      parts = /\A\u2014 (\S+) (\S+)\z/.match(line) or refuse("a line is no signature")
      bytes = base64(parts[2])
      keys.map { |key| verifier_key(key) }.count do |name, hint, public_key|
        next false unless name == parts[1] && hint == bytes.byteslice(0, 4)

        signed?(bytes.byteslice(4..), body, public_key) or refuse("the log's signature is false")
      end
    end
    refuse("the log's key has not signed the checkpoint") if signers.zero?
    place, size, root, *more = body.chomp.split("\n", -1)
    refuse("it is another log's checkpoint") unless place == origin && more.empty?
    refuse("its size is no number") unless /\A#{NUMBER}\z/.match?(size.to_s) && size.to_i <= MAX_SIZE
    [size.to_i, base64(root.to_s, 32)]
  end

  def verifier_key(text)
    parts = /\A([^+\s]+)\+([0-9a-f]{8})\+(\S+)\z/.match(text) or refuse("it is no verifier key")
    bytes = base64(parts[3], 33)
    hint = OpenSSL::Digest::SHA256.digest("#{parts[1]}\n".b + bytes).byteslice(0, 4)
    refuse("it is no Ed25519 verifier key") unless bytes.getbyte(0) == 1 && hint.unpack1("H*") == parts[2]
    [parts[1], hint, bytes.byteslice(1..)]
  end

  def base64(text, length = nil)
    bytes = Base64.strict_decode64(text)
    refuse("it is not base64 in its one spelling") unless Base64.strict_encode64(bytes) == text
    refuse("it has another length") unless length.nil? || bytes.bytesize == length
    bytes
  rescue ArgumentError
    refuse("it is not base64")
  end

  def node(left, right)
    OpenSSL::Digest::SHA256.digest("\x01".b + left + right)
  end

  def refuse(why)
    raise Refused, why
  end
end
